"""Portuguese, of Brazil and of Portugal."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

PORTUGUESE = LanguagePack(
    code="pt",
    decimal=",",
    harmless=phrases(
        """sem problema, sem problemas, não tem problema, não há problema, nenhum problema, não é problema, não tem
            problema nenhum, não faz mal, por que não, porque não, sim por que não, como não, pois não, não me
            importo, não me incomoda, não me incomodo, não tenho nada contra, nada contra, sem objeção, sem objeções,
            nenhuma objeção, não tenho objeção, não tenho objeções, sem dúvida, sem dúvida nenhuma, sem nenhuma
            dúvida, não há dúvida, com certeza sem dúvida, não vejo por que não, nada a mudar, nada a alterar, sem
            alterações, sem mudanças"""
    ),
    unsure=phrases(
        """sim ou não, sim e não, não sei, eu não sei, sei lá, não tenho certeza, não tenho a certeza, não estou
            (certo|certa|seguro|segura), talvez, quem sabe, possivelmente, provavelmente, pode ser que sim, depende,
            acho que sim, penso que sim, creio que sim, suponho, imagino, vamos ver, veremos, a ver, tenho que pensar,
            preciso pensar, deixa eu pensar, deixe-me pensar, me deixe pensar, vou pensar, não faço ideia, não tenho
            ideia, mais ou menos, diga sim, diz sim, um sim, sei não, não (te |o |a
            |)(ouço|escuto|entendo|entendi|ouvi|percebi)"""
    ),
    no=phrases(
        """não, não não, não obrigado, não obrigada, nem pensar, de jeito nenhum, de maneira nenhuma, de modo nenhum,
            de forma alguma, de forma nenhuma, nunca, jamais, agora não, não agora, por enquanto não, por agora não,
            no momento não, neste momento não, ainda não, hoje não, não hoje, melhor não, é melhor não, prefiro não,
            prefiro que não, preferia que não, não quero, não o quero, eu não quero, não preciso, não é preciso, não é
            necessário, não precisa, não me interessa, não estou interessado, não estou interessada, não acho, acho
            que não, penso que não, creio que não, não concordo, não estou de acordo, não é
            (correto|certo|isso|verdade|exato|assim|o que eu quero), não está (certo|correto|bem), não tá certo, está
            errado, tá errado, errado, errada, incorreto, falso, não faça, não faça isso, não faz isso, não o faça,
            deixa pra lá, deixe para lá, deixa para lá, deixa, deixe estar, deixa estar, esquece, esqueça, esquece
            isso, esqueça isso, talvez mais tarde, talvez depois, mais tarde talvez, outra hora, outro dia, fica para
            a próxima, fica pra próxima, claro que não, com certeza não, certamente não, óbvio que não, absolutamente
            não, recuso, recusado, eu recuso, rejeito, rejeitado, negado, negativo, passo"""
    ),
    forbids=phrases("não, nunca, por favor não"),
    holds=phrases(
        """espera, espere, espera aí, espere aí, peraí, pera, um momento, um momentinho, só um momento, um minuto, um
            minutinho, um segundo, um instante, aguarde, aguarda, calma, devagar, depois, mais tarde, logo mais, daqui
            a pouco, outra hora, outro dia, pausa, em breve"""
    ),
    changes=phrases(
        """mas, porém, contudo, todavia, entretanto, no entanto, embora, exceto, salvo, menos, a não ser, em vez, em
            vez de, ao invés, ao invés de, no lugar, no lugar de, melhor, antes, na verdade, na realidade, aliás,
            prefiro, preferia, muda, mude, mudar, mudança, troca, troque, trocar, correção, corrigir, corrija, outro,
            outra, outros, outras, diferente, quis dizer, quero dizer, queria dizer, me enganei, enganei-me, erro,
            engano, deveria ser, deve ser, tem que ser, desculpa, desculpe, perdão, sinto muito, ops, infelizmente,
            quase, em parte, demais, demasiado, muito (tarde|cedo|caro|longe), ao contrário, pelo contrário, primeiro,
            enquanto isso, pensando bem, problema, que pena, só que"""
    ),
    conditions=phrases(
        """se, desde que, contanto que, a menos que, só se, somente se, apenas se, caso, ou, quando, assim que, até,
            mais, ao menos, pelo menos, no máximo, só, somente, apenas, onde"""
    ),
    negations=phrases(
        """não, nada, ninguém, nenhum, nenhuma, nem, tampouco, nunca, jamais, mal, mau, má, ruim, pior, horrível,
            impossível, contra, odeio, proíbo, proibido"""
    ),
    halts=phrases(
        """pare, parar, para ya, para eso, para todo, parem, stop, cancela, cancele, cancelar, cancelamento, anula,
            anule, anular, apaga, apague, apagar, exclui, exclua, excluir, elimina, elimine, eliminar, termina,
            termine, terminar, encerra, encerre, encerrar, fecha, feche, fechar, interrompa, aborta"""
    ),
    alters=phrases(
        """altera, altere, alterar, modifica, modifique, modificar, substitui, substitua, substituir, adiciona,
            adicione, adicionar, acrescenta, acrescente, remove, remova, remover, tira, tire, move, mova, mover"""
    ),
    yes=phrases(
        """sim, sim sim, sim claro, sim por favor, claro, claro que sim, com certeza, certamente, lógico, óbvio,
            obviamente, evidentemente, naturalmente, absolutamente, definitivamente, seguramente, com prazer, com todo
            o prazer, com muito gosto, de certeza, positivo, afirmativo, pois claro, yes, aham sim, é claro, sem
            falta, quero sim, pode sim"""
    ),
    clauses=phrases(
        """é isso, é isso mesmo, é sim, quero sim, eu quero, quero isso, pode reservar, pode fazer, pode comprar,
            faça isso, faz isso, fico com (ele|ela|isso), ficamos com (ele|ela|isso), tudo (certo|correto|perfeito),
            está tudo (certo|correto|bem)"""
    ),
    unfinished=phrases("um, uma, ou, mas, para, de, do, da, ao, com, em, por, que, meu, minha"),
    goes=phrases(
        """pode, pode fazer, pode ir, pode seguir, pode continuar, pode confirmar, pode prosseguir, pode mandar,
            siga, segue, siga em frente, vai em frente, vá em frente, vamos em frente, prossiga, continue, continua,
            avança, avance, força, faça, faça isso, faz isso, faça assim, vamos, vamos lá, vamos nessa, bora, manda
            ver, manda bala, confirmo, eu confirmo, confirmado, confirma, confirme, aceito, eu aceito, aceite, aprovo,
            eu aprovo, aprovado, autorizo, eu autorizo, autorizado, estou de acordo, concordo, eu concordo, fechado,
            combinado, negócio fechado, tenta, tente, sou a favor, força nisso"""
    ),
    agree=phrases(
        """muito bem, está bem, tá bem, tá bom, está bom, está ótimo, tá ótimo, tudo bem, tudo certo, ótimo, ótima,
            perfeito, perfeitamente, excelente, maravilhoso, maravilha, fantástico, magnífico, espetacular, incrível,
            legal, bacana, joia, jóia, beleza, show, ideal, top, certo, certinho, correto, está certo, tá certo, está
            correto, tá correto, exato, exatamente, isso, isso mesmo, isso aí, é isso, é isso mesmo, é isso aí, assim
            mesmo, é verdade, verdade, justamente, precisamente, é correto, é exatamente isso, por mim tudo bem, por
            mim está bem, para mim está bom, pra mim tá bom, pode ser, me parece bem, parece
            (bom|ótimo|perfeito|correto), soa bem, serve, me serve, gosto, gostei, gostaria disso, adoraria, seria
            (ótimo|perfeito|bom|ideal|maravilhoso), tem razão, você tem razão, boa ideia, ótima ideia, o que eu
            (quero|queria), é o que eu quero, era isso, fico com ele, fico com ela, fico com esse, fico com essa,
            satisfeito, satisfeita, funciona, dá certo, dá sim, conforme"""
    ),
    acknowledges=phrases("okay, ok, oquei, de acordo, entendi, entendido, percebi, tá, recebido, compreendido"),
    closings=phrases(
        """é tudo, isso é tudo, é só, é só isso, só isso, mais nada, nada mais, por enquanto é só, tchau, adeus, até
            logo, até mais, bom dia para você, tenha um bom dia, já terminei, terminei"""
    ),
    fillers=phrases(
        """favor, é que, eh, hã, hum, hmm, ah, oh, ai, então, pois, bem então, ora, olha, olhe, escuta, né, viu,
            aham, uhum, por favor, se faz favor, faz favor, obrigado, obrigada, muito obrigado, muito obrigada, valeu,
            agradeço, eu agradeço, agradecido, agradecida, olá, oi, alô, bom dia, boa tarde, boa noite, senhor,
            senhora, moça, moço, agora, agora mesmo, já, imediatamente, aqui, aí, ali, realmente, muito, também,
            simplesmente, para mim, pra mim, para nós, pra gente, comigo, se possível, se for possível, se puder, se
            quiser, se não se importa, sem pressa, com calma, a propósito, amigo, amiga, de verdade, por gentileza,
            bem, bom"""
    ),
    tells=phrases(
        """me diga, me diz, diga-me, diz-me, pode me dizer, pode dizer-me, poderia me dizer, podia dizer-me, você
            pode me dizer, quero saber, queria saber, gostaria de saber, preciso saber, sabe, você sabe, eu me
            pergunto, me dá, me dê, dê-me, pode me dar, poderia me dar, me mostra, me mostre, tem como me dizer, vocês
            têm, você tem"""
    ),
    asks=phrases(
        """qual, quais, quem, quanto, quanta, quantos, quantas, quando é, quando será, por quê, para que, a que
            horas, que horas, de que, em que, qual é, cadê, o que (é|está|inclui|tem|acontece), que (tipo|dia|horas),
            onde (fica|é|está|será), como (é|faço|funciona|chego|fica)"""
    ),
    inversions=phrases(
        """é o, é a, é um, é uma, tem, há, são os, são as, posso, podemos, devo, devemos, fica, custa, inclui,
            aceitam, aceita, servem, está incluído, é possível, dá para"""
    ),
    requests=phrases("pode, poderia, podia, você, consegue"),
    fetches=phrases(
        """dá, dê, dar, preciso, quero, queria, gostaria, mande, manda, diga, diz, dizer, saber, ter, conhecer"""
    ),
    facts=phrases(
        """endereço, morada, telefone, número, preço, custo, tarifa, avaliação, avaliações, localização, lugar,
            local, duração, horário, horários, gênero, nome, site, distância, tempo, parada, paragem, total, contato,
            contacto"""
    ),
    kinds={
        "day": phrases(
            """segunda-feira, terça-feira, quarta-feira, quinta-feira, sexta-feira, sábado, domingo, sexta, janeiro,
                fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro, hoje,
                amanhã, depois de amanhã, ontem, hoje à noite, fim de semana, a próxima semana, semana que vem, esta
                semana, natal, páscoa"""
        ),
        "time": phrases(
            """meio-dia, meia-noite, manhã, da manhã, de manhã, tarde, da tarde, de tarde, à tarde, noite, da noite,
                à noite, e meia, e quinze, mais cedo, cedo, madrugada"""
        ),
        "number": phrases(
            """metade, dúzia, meia dúzia, par, um par, vários, várias, dobro, cem, mil, milhão, sozinho, sozinha"""
        ),
        "device": phrases(
            """tv, televisão, televisor, cozinha, sala de estar, sala, sala de jantar, banheiro, casa de banho,
                garagem, porão, varanda, alto-falante, coluna, fones, notebook, tablet, dispositivo, aparelho"""
        ),
        "name": phrases("a ele, a ela, a eles, a nós, para ele, para ela, para eles"),
        "extra": phrases(
            """legendas, legenda, econômica, económica, classe executiva, primeira classe, segunda classe, premium,
                luxo, padrão, privado, privada, compartilhado, compartilhada, partilhado, interno, externo, janela,
                corredor, vegetariano, vegetariana, vegano, vegana, só ida, ida e volta, fumante, não fumante, para
                viagem"""
        ),
    },
    things=phrases(
        """filme, música, canção, bilhete, bilhetes, ingresso, ingressos, passagem, passagens, lugar, mesa, mesas,
            reserva, consulta, quarto, hotel, casa, apartamento, carro, táxi, corrida, viagem, ônibus, autocarro, voo,
            trem, comboio, evento, show, concerto, jogo, restaurante, pedido, encomenda, pagamento, transferência,
            compra, visita, estadia, estada, reunião, ligação, chamada"""
    ),
    deeds=phrases(
        """reservar, reserve, comprar, compre, pedir, peça, tocar, toque, reproduzir, reproduza, colocar, coloque,
            alugar, alugue, pegar, tomar, começar, comece, iniciar, enviar, envie, mandar, mande, transferir,
            transfira, pagar, pague, ligar, ligue, marcar, marque, agendar, agende"""
    ),
    read_backs=phrases(
        """confirmar, confirme, confirma, confirmo, confirmação, correto, certo, detalhes, verificar, verifique,
            dados"""
    ),
    units=phrases(
        """pessoa, pessoas, adultos, crianças, dia, dias, noites, semana, semanas, mês, meses, ano, anos, hora,
            horas, minuto, minutos, euro, euros, dólar, dólares, real, reais, centavos, por cento"""
    ),
    clock=phrases("hora, horas, h"),
    plain=phrases(
        """eu, tu, você, ele, ela, nós, vocês, eles, elas, a gente, me, te, se, lhe, lo, la, o, a, os, as, nos, meu,
            minha, meus, minhas, seu, sua, seus, suas, nosso, nossa, teu, tua, um, uma, uns, umas, isto, este, esta,
            esse, essa, estes, estas, esses, essas, aquele, aquela, aquilo, nisso, disso, com isso, de, do, da, dos,
            das, em, no, na, num, numa, com, por, pelo, pela, pra, pro, e, que eu, como combinado, porque, é, são,
            sou, somos, era, seria, será, ser, estão, estou, estava, estaria, estar, foi, há, tenho, ter, quero,
            queria, quer, queremos, desejo, deseja, preciso, precisa, precisamos, gostaria, poderia, podia, posso
            dizer, deve, vai, vou, ir, fazer, parece, soa, tudo, os dados, os detalhes, detalhes, dados, contente,
            feliz, assim, tal como, como pedi, como disse, conforme combinado, esse mesmo, essa mesma, que"""
    ),
    pointers=phrases("este, esta, esse, essa, estes, estas, esses, essas, aquele, aquela"),
    halted=phrases("isso, isto, tudo, já, agora, por favor, imediatamente, obrigado, obrigada, com isso"),
    without=phrases("sem"),
    spans=phrases("até, desde, depois, antes"),
    binders=phrases("de, do, da, a, ao, em, no, na, para, pra, por, com, desde, até, às"),
    opposites=phrases("desde até, antes depois"),
    time_leads=phrases("às, as, lá pelas"),
    day_leads=phrases("dia"),
    articles=phrases("o, a, os, as, um, uma, meu, minha, meus, minhas, seu, sua, seus, suas"),
    ones=phrases("um, uma"),
    months=phrases(
        """janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro"""
    ),
    of=phrases("de"),
    synonyms=phrases(
        """reservar reserve reserva comprar compre compra pedir peça marcar marque agendar agende consulta, bilhete
            bilhetes ingresso ingressos passagem passagens lugar, filme vídeo, música canção faixa, tocar toque
            reproduzir reproduza colocar coloque começar iniciar ouvir ver, enviar envie mandar mande transferir
            transfira transferência pagar, quarto hotel alojamento hospedagem, carro automóvel táxi"""
    ),
    rivals=(phrases("ônibus autocarro, trem comboio, voo avião, táxi"),),
    signs={"$": "dólares", "€": "euros", "£": "libras", "%": "porcento"},
    endings=phrases("ações, ação, ando, endo, ar, er, ir, os, as, es, o, a, e, s"),
    number_joints=phrases("e, vírgula"),
    ordinal_marks=phrases("o, a"),
    zeros=(),
    repeats={"duplo": 2, "dobro": 2, "triplo": 3},
    minus=phrases("menos"),
    halves=phrases("e meio, e meia"),
    placers=phrases("número, opção, a opção"),
    last=phrases("último, última, o último, a última"),
    both=phrases("ambos, ambas, os dois, as duas"),
    every=phrases("todos, todas, tudo, todos eles, todas elas, os três, as três, cada um, cada uma"),
    none=phrases(
        """nenhum, nenhuma, nenhum deles, nenhuma delas, nenhum dos dois, nenhuma das duas, nenhum desses, nem um nem
            outro, nada, nada disso"""
    ),
    apart_from=phrases("exceto, salvo, menos, não, sem, fora, tirando, tudo menos, mas não"),
    corrections=phrases(
        """não, desculpa, desculpe, quero dizer, quis dizer, queria dizer, aliás, digo, espera, melhor, na verdade,
            correção, perdão"""
    ),
    joins=phrases("e, mais, também, além disso, com, depois"),
    either=phrases("ou, ou então"),
    leave_it=phrases(
        """qualquer, qualquer um, qualquer uma, tanto faz, para mim tanto faz, pra mim tanto faz, o que for, você
            decide, você escolhe, escolha você, como quiser, o mais barato, a mais barata, o mais em conta, não me
            importa qual, não importa, sem preferência, me surpreenda"""
    ),
    leads=phrases(
        """pode, poderia, podia, você pode, você poderia, quero, queria, gostaria de, preciso, posso, eu quero, eu
            gostaria de, eu queria"""
    ),
    commands={
        "repeat": phrases(
            """repete, repita, repetir, repita a pergunta, repetir a pergunta, outra vez, de novo, novamente, mais
                uma vez, como, como disse, o que, o quê, o que disse, o que você disse, qual era a pergunta, qual foi
                a pergunta, perdão, não (te |o |)(ouvi|entendi|percebi|escutei), diga de novo, hein"""
        ),
        "wait": phrases(
            """espera, espere, espera aí, espere aí, peraí, espera um pouco, espere um pouco, espera um momento,
                espere um momento, um momento, um momentinho, só um momento, um minuto, só um minuto, um segundo, só
                um segundo, um instante, aguarde, aguarda, deixa eu pensar, deixe-me pensar, me deixe pensar"""
        ),
        "options": phrases(
            """opções, as opções, quais são as opções, quais são as minhas opções, que opções tenho, que opções há,
                quais opções tenho, o que posso dizer, o que posso escolher, quais são, o que tem, ajuda"""
        ),
        "operator": phrases(
            """operador, operadora, um operador, atendente, um atendente, uma atendente, agente, um agente, uma
                pessoa, um humano, uma pessoa de verdade, uma pessoa real, representante, falar com (alguém|uma
                pessoa|um atendente|um operador|um humano|um agente), atendimento, serviço ao cliente, apoio ao
                cliente, me passa para alguém, me transfere para um atendente"""
        ),
        "never_mind": phrases(
            """deixa pra lá, deixe para lá, deixa para lá, esquece, esqueça, não importa, não faz mal deixa, pula a
                pergunta, pular a pergunta"""
        ),
    },
    prompts={
        "go_ahead": "Quer que eu faça isso agora?",
        "no_input": "Não ouvi a sua resposta.",
        "no_match": "Não percebi o que disse.",
        "say_yes_or_no": "Diga sim ou não, por favor.",
        "confirm_keys": "Ou prima {yes} para sim e {no} para não, por favor.",
        "option": "{number}: {label}.",
        "choose": "Diga-me qual, por favor.",
        "choose_several": "Diga-me quais, por favor.",
        "say_option": "Diga qual, ou o seu número, por favor.",
        "choice_keys": "Ou prima o número no teclado, por favor.",
        "several_keys": "Ou prima os números e depois cardinal, por favor.",
        "say_number": "Diga só o número, por favor.",
        "say_digits": "Diga os {count} algarismos, algarismo por algarismo, por favor.",
        "number_keys": "Ou digite-o e prima cardinal, por favor.",
        "digits_keys": "Ou digite-o no teclado, por favor.",
        "keys_only": "Não o diga em voz alta: digite-o no teclado, por favor.",
        "say_text": "Diga por palavras suas, por favor.",
        "at_least": "Tem de ser pelo menos {minimum}, por favor.",
        "at_most": "Tem de ser no máximo {maximum}, por favor.",
        "between_bounds": "Tem de ser de {minimum} a {maximum}, por favor.",
        "which": "{labels}: diga-me qual, por favor.",
        "read_back": "Ouvi: {value}.",
        "take_it": "Registo a resposta dessa maneira?",
        "second_yes": "Por segurança, mais uma vez: quer mesmo que eu faça isso agora?",
        "tail": "O que me diz?",
        "item": "{name}: {value}.",
        "true": "sim",
        "false": "não",
        "nothing": "nada",
        "and": "{first} e {last}",
        "date": "{day} de {month}",
    },
)
